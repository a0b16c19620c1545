"""The AI gateway's rules: money, requests, answers, routing."""
