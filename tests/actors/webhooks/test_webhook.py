"""The Webhook: what is sent, the plan of retries, order, pace, and how much goes at once."""
