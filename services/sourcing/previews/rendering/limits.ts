export const DEFAULT_TIMEOUT_MS = 60_000
/** A larger file has no preview. */
export const MAX_FILE_BYTES = 200 * 1000 * 1000
export const DEFAULT_MAX_TRIANGLES = 5_000_000

/** Pages of a document that have a preview, the first ones. */
export const PAGES = 10
/** Pixels of the longest side of a page or an image. */
export const LONGEST_SIDE = 1600
/** Of an image, decoded as a whole: four bytes each. */
export const MAX_PIXELS = 40_000_000
/** A larger picture is made smaller. */
export const MAX_PICTURE_BYTES = 3 * 1024 * 1024
/** Of all previews of a file. */
export const MAX_CONTENT_BYTES = 64 * 1024 * 1024
