"""Scripts of what goes wrong, and when: `tpuherd cloud.up --scenario FILE`."""
