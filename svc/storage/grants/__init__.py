"""Connected apps: their registrations, authorization requests, codes and tokens."""
