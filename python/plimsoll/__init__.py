"""Plimsoll: plans the capacity of LLM serving. Imports nothing; each part is a module of its own."""
