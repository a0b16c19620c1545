"""Time and place: times, time zones, days of a place, languages and currencies."""
