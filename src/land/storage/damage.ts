/** Advice for damage on disk, shared by all commands. */
export const RESTORE_ADVICE =
  'Restore these files from a copy, or run windrow verify PIPELINE --repair, which fetches their ' +
  'contents again. Nothing was changed.';

export const REPAIR_ADVICE = `windrow verify names everything that is damaged. ${RESTORE_ADVICE}`;
