export interface Extent {
  x: number
  y: number
  z: number
}

type Corner = readonly [number, number, number]

/** The half section of a flanged hub: radius and height as shares of the extent, counter-clockwise. */
const SECTION = [
  [0.42, 0],
  [1, 0],
  [1, 0.3],
  [0.66, 0.38],
  [0.66, 1],
  [0.42, 1],
] as const
/** The extremes of a circle are among its corners where this is a multiple of four. */
const SEGMENTS = 96

/** A flanged hub with a bore that fills the bounding box of a part, as a binary STL. */
export function hubModel(name: string, { x, y, z }: Extent): Uint8Array<ArrayBuffer> {
  const corner = (segment: number, at: number): Corner => {
    const [radius, height] = SECTION[at % SECTION.length] ?? [0, 0]
    const angle = ((segment % SEGMENTS) * 2 * Math.PI) / SEGMENTS
    return [(x / 2) * (1 + radius * Math.cos(angle)), (y / 2) * (1 + radius * Math.sin(angle)), z * height]
  }
  const triangles = Array.from({ length: SEGMENTS }, (_, segment) =>
    SECTION.flatMap((_point, at) => {
      const [a, b] = [corner(segment, at), corner(segment, at + 1)]
      const [c, d] = [corner(segment + 1, at + 1), corner(segment + 1, at)]
      return [
        [a, d, c],
        [a, c, b],
      ]
    }),
  ).flat()
  const bytes = new Uint8Array(84 + triangles.length * 50)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode(`binary ${name}`).subarray(0, 80))
  view.setUint32(80, triangles.length, true)
  for (const [index, corners] of triangles.entries()) {
    for (const [at, value] of corners.flat().entries()) view.setFloat32(84 + index * 50 + 12 + at * 4, value, true)
  }
  return bytes
}

/** A drawing sheet as PDF: a frame, the outline of the part from above, its measures and a title block. */
export function drawingSheet(title: string, reference: string, { x, y, z }: Extent): Uint8Array<ArrayBuffer> {
  const scale = 320 / Math.max(x, y)
  const [width, height] = [x * scale, y * scale]
  const text = (size: number, left: number, bottom: number, words: string) =>
    `BT /F1 ${size} Tf ${left} ${bottom} Td (${words.replaceAll(/[\\()]/g, '\\$&')}) Tj ET`
  const content = [
    '1 w 30 30 782 535 re S 30 30 782 60 re S',
    `1.5 w 120 150 ${width.toFixed(1)} ${height.toFixed(1)} re S`,
    text(14, 45, 65, title),
    text(10, 45, 42, `Drawing ${reference}   Scale ${scale.toFixed(2)}:1   Millimetres`),
    text(10, 120, 130, `${x}`),
    text(10, 90, 150, `${y}`),
    text(10, 480, 150, `Height ${z}`),
  ].join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 842 595] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let pdf = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = pdf.length
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = pdf.length
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`
  pdf += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return new TextEncoder().encode(pdf)
}
