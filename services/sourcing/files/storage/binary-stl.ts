export const BINARY_STL_HEADER_BYTES = 84
export const BINARY_STL_TRIANGLE_BYTES = 50

/** The count of triangles in the header of a binary STL, which has no magic number: its size confirms the count. */
export function trianglesOfBinaryStl(head: Uint8Array, sizeBytes: number): number | undefined {
  if (head.byteLength < BINARY_STL_HEADER_BYTES) return undefined
  const count = new DataView(head.buffer, head.byteOffset).getUint32(80, true)
  const isWhole = count > 0 && sizeBytes === BINARY_STL_HEADER_BYTES + count * BINARY_STL_TRIANGLE_BYTES
  return isWhole ? count : undefined
}
