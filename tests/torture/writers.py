"""Of several runs that write one file at once, does each either write it whole or say why not?"""

REFUSED = b"another run of plimsoll is writing"
RUN = ("run", "--model", "qwen/qwen3-14b", "--rate", "10", "--num-requests", "2000", "--quiet",
       "--no-model-error")


def all_at_once(t, commands):
    processes = [t.start(*command) for command in commands]
    results = []
    for process in processes:
        out, err = process.communicate()
        results.append((process.returncode, out, err))
    for code, out, err in results:
        t.check(code == 0 or (code == 3 and REFUSED in err and not out), code, out, err)
    done = [i for i, result in enumerate(results) if result[0] == 0]
    t.check(done, "all were refused")
    return done


def results_of_runs(t, rounds, runs):
    rows = []
    for seed in range(runs):
        code, _, err = t.run(*RUN, "--seed", str(seed), "--results-path", f"alone-{seed}.csv")
        t.check(code == 0, err)
        rows.append((t.folder / f"alone-{seed}.csv").read_bytes())
    refused = 0
    for _ in range(rounds):
        done = all_at_once(t, [(*RUN, "--seed", str(seed), "--results-path", "both.csv")
                               for seed in range(runs)])
        t.check((t.folder / "both.csv").read_bytes() in [rows[i] for i in done],
                "rows of no run that says it wrote them")
        refused += runs - len(done)
    return refused


def journals_of_plans(t, rounds, runs):
    plan = ("plan", "question.yaml", "--json", "--no-timing")
    whole = t.run(*plan)[1]
    for _ in range(rounds):
        (t.folder / "plan.journal").unlink(missing_ok=True)
        processes = [t.start(*plan, "--journal", "plan.journal") for _ in range(runs)]
        ends = [(process.communicate(), process.returncode) for process in processes]
        done = [out for (out, _), code in ends if code == 0]
        t.check(done == [whole], len(done), "plans wrote one journal")
        for (_, err), code in ends:
            t.check(code == 0 or REFUSED in err or b"would overwrite" in err, code, err)
        code, out, err = t.run(*plan, "--resume", "plan.journal")
        t.check(code == 0 and out == whole, code, err)


def run(t):
    rounds = t.few_or(3, 50)
    refused = results_of_runs(t, rounds, runs=3)
    journals_of_plans(t, rounds, runs=2)
    hidden = [name for name in t.names() if name.startswith(".")]
    t.check(not hidden, hidden)
    return f"{2 * rounds} rounds; {refused} runs were refused"
