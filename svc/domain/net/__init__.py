"""The rules of addresses, hosts and origins: pure, and known to every layer above."""
