"""Documents of formats whose readers are strict: forecasts, GPUs, calibrations, ServeGen's lengths.

For every_key.py, which makes each value absurd in turn and adds a key that nobody knows. Each format
has its documents and the command that reads one; a document is FILE, or the dataset of a folder.
"""

MODEL = ["--model", "llama-3.1-8b-instruct"]

FORECASTS = [
    {"name": "Launch week",
     "routes": {
         "chat": {"requests_per_s": {"baseline": 60, "forecast": 110},
                  "prompt_tokens": {"mean": 1800, "std": 1200},
                  "cached_share": 0.3, "output_tokens": {"p50": 50, "p95": 200}, "retry_share": 0.02,
                  "fallback_to": "strong", "fallback_share": 0.01, "served_by": "provider",
                  "residence_s": 4, "success": 0.9, "quality": 0.95},
         "strong": {"requests_per_s": 3, "prompt_tokens": 900, "output_tokens": 60,
                    "served_by": "provider", "residence_s": 4},
         "talk": {"requests_per_s": 2, "prompt_tokens": 3000, "output_tokens": 60,
                  "served_by": "provider",
                  "sessions": {"rounds": 3, "gap_s": 20, "prefix_tokens": 100}}},
     "resources": {
         "usd_per_month": {"capacity": 60000, "owner": "finance"},
         "provider_requests_per_min": {"capacity": 9000},
         "active_kv_tokens": {"baseline": 90000, "forecast": 310000, "capacity": 240000}},
     "traffic": {"arrival_cv": 1, "length_cv": 0.5, "mean_load": 0.4,
                 "band": {"low": 0.9, "high": 1.2}},
     "provider_price": {"input": 0.5, "output": 1.5, "cached_input": 0.05},
     "scenarios": {
         "built_in": ["retry-storm"],
         "calm": {"from": "baseline", "about": "a day like any other"},
         "cohort": {"from": "baseline", "set": {"requests_per_s": 60, "prompt_tokens": 6400}},
         "spike": {"retry": {"fixed": 0.15}},
         "busy": {"times": {"requests_per_s": 2}}}},
    {"routes": {"chat": {"requests_per_s": 10, "prompt_tokens": 1000, "output_tokens": 20,
                         "residence_s": 2}},
     "resources": {"requests_per_s": {"capacity": 12, "owner": "gateway team"}},
     "history": {"file": "ROOT/examples/demand.csv", "horizon_days": 14, "lead_time_days": 7,
                 "cold_start_s": 300, "gaps": "refuse",
                 "events": {"launch": {"from": "2026-11-18", "times": 1.1, "ramp_days": 3},
                            "sale": {"from": "2026-07-06", "until": "2026-07-13"}},
                 "seats": {"2026-06-01": 100, "2026-12-01": 140}}},
]

GPUS = [{"X1": {"TFlopsPeak": 900, "TFlopsFP8": 1800, "BwPeakTBs": 3.2, "mfuPrefill": 0.5,
                "mfuDecode": 0.4, "MemoryGiB": 40, "LinkGBs": 300, "PcieGBs": 60,
                "GpusPerNode": 8, "NetworkGBs": 40, "Kernels": "hopper"}}]


def term(value):
    return {"value": value, "low": value - 0.1, "high": value + 0.1, "identified": True}


CALIBRATIONS = [{
    "plimsoll_calibration": 1, "base": "kernel", "model": "meta-llama/llama-3.1-8b-instruct",
    "gpu": "H100", "tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 1,
    "expert_parallel": 1, "date": "2026-01-05", "sources": ["seen.csv"],
    "parameters": {"scale": term(1.2), "step_us": term(50), "decode_us": term(1), "prefill_us": term(1),
                   "request_us": term(100), "prompt_token_us": term(1)},
    "errors": [{"metric": "step_ms", "fitted": 30, "held_out": 12, "fitted_before_percent": 9,
                "fitted_after_percent": 2, "held_out_before_percent": 9,
                "held_out_after_percent": 3}]}]

LENGTHS = "{100: 0.5, 900: 0.5}"
SERVEGEN = [{"0": {"input_tokens": LENGTHS, "output_tokens": LENGTHS, "reason_ratio": "{0.5: 1}"}}]

STRICT = {
    "forecast": (FORECASTS, ["forecast", "FILE", "--json"]),
    "GPUs": (GPUS, ["run", *MODEL, "--hardware", "X1", "--hardware-config", "FILE", "--rate", "1",
                    "--num-requests", "20", "--json"]),
    "calibration": (CALIBRATIONS, ["run", *MODEL, "--hardware", "H100", "--calibration", "FILE",
                                   "--rate", "1", "--num-requests", "20", "--json"]),
    "servegen": (SERVEGEN, ["convert", "servegen", "--path", "FOLDER"]),
}
