"""Files: uploaded pictures and documents, and the attachments that bridges send."""
