"""What both middlewares share: the settings, and the pipeline that judges requests."""
