/** Failures within a minute after which a key has to wait. */
export const PAIR_FAILURES_PER_MINUTE = 5
export const ADDRESS_FAILURES_PER_MINUTE = 60
export const WINDOW_SECONDS = 60
/** The first wait. Each further failure doubles it up to the longest. */
export const FIRST_WAIT_SECONDS = 60
export const LONGEST_WAIT_SECONDS = 15 * 60
/** Time after the end of the last wait after which the count restarts. */
export const FORGET_AFTER_SECONDS = 30 * 60
