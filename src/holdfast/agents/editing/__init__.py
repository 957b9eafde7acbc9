"""Editing the config files of agents as text, so that every foreign byte, comment and order stays."""
