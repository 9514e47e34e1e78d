"""The figures of the paper, one file per figure: its data, its caption, its numbers beside the published ones.

The drawing itself is done by `termburst.plot`, which users call for their own data. `fits` has what Figs 4 and 5 share,
`grids` what Figs A1 and A2 share.
"""
