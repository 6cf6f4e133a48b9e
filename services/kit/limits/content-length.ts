/** Fifteen digits are far above every limit and exact as a number. */
const DIGITS = /^\d{1,15}$/

/**
 * The length that `Content-Length` announces. Undefined without the field and for text that is not digits, such as the
 * `5, 5` that two equal lines become: as a number it would be NaN, which no limit refuses.
 */
export function contentLengthOf({ headers }: { headers: Headers }): number | undefined {
  const text = headers.get('content-length')
  return text !== null && DIGITS.test(text) ? Number(text) : undefined
}
