import { type Accessor, Document, WebIO } from '@gltf-transform/core'
import { strToU8, zipSync } from 'fflate'

/** Corners and triangles, which turn against the clock seen from outside. */
interface SampleMesh {
  points: number[][]
  triangles: number[][]
}

/** A box between two corners, or a cavity of that shape where it is turned inside out. */
export function boxMesh(low: number[], high: number[], { insideOut = false } = {}): SampleMesh {
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map((at) =>
    [0, 1, 2].map((axis) => ((at >> axis) & 1 ? high : low)[axis] ?? 0),
  )
  const quads = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ]
  const triangles = quads.flatMap(([a = 0, b = 0, c = 0, d = 0]) => [
    [a, b, c],
    [a, c, d],
  ])
  return { points, triangles: insideOut ? triangles.map((triangle) => triangle.toReversed()) : triangles }
}

/** A wavy square of two triangles for each cell. */
export function gridMesh(cells: number): SampleMesh {
  const side = cells + 1
  const points = Array.from({ length: side * side }, (_, at) => {
    const [x, y] = [at % side, Math.floor(at / side)]
    return [x, y, Math.sin(x / 7) * Math.cos(y / 5)]
  })
  const triangles = Array.from(
    { length: cells * cells },
    (_, at) => (at % cells) + Math.floor(at / cells) * side,
  ).flatMap((corner) => [
    [corner, corner + 1, corner + side],
    [corner + 1, corner + side + 1, corner + side],
  ])
  return { points, triangles }
}

export function binaryStl(...meshes: SampleMesh[]): Uint8Array {
  const corners = meshes.flatMap(({ points, triangles }) =>
    triangles.map((triangle) => triangle.map((index) => points[index] ?? [])),
  )
  const view = new DataView(new ArrayBuffer(84 + corners.length * 50))
  view.setUint32(80, corners.length, true)
  for (const [at, triangle] of corners.entries()) {
    for (const [part, value] of triangle.flat().entries()) view.setFloat32(84 + at * 50 + 12 + part * 4, value, true)
  }
  return new Uint8Array(view.buffer)
}

export function textStl({ points, triangles }: SampleMesh): Uint8Array {
  const facet = (triangle: number[]) => {
    const lines = triangle.map(
      (index) => `      vertex ${(points[index] ?? []).map((value) => value.toExponential(6)).join(' ')}`,
    )
    return ['  facet normal 0 0 0', '    outer loop', ...lines, '    endloop', '  endfacet'].join('\n')
  }
  return new TextEncoder().encode(['solid sample', ...triangles.map(facet), 'endsolid sample', ''].join('\n'))
}

export function obj({ points, triangles }: SampleMesh): Uint8Array {
  const lines = [
    '# sample',
    ...points.map((point) => `v ${point.join(' ')}`),
    ...triangles.map((triangle) => `f ${triangle.map((index) => index + 1).join(' ')}`),
  ]
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

/** A GLB in metres, whose node scales the mesh. */
export async function glb({ points, triangles }: SampleMesh, scale = 1): Promise<Uint8Array> {
  const document = new Document()
  const buffer = document.createBuffer()
  const accessor = (type: 'VEC3' | 'SCALAR', array: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): Accessor =>
    document.createAccessor().setType(type).setArray(array).setBuffer(buffer)
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', new Float32Array(points.flat())))
    .setIndices(accessor('SCALAR', new Uint32Array(triangles.flat())))
  const node = document
    .createNode()
    .setMesh(document.createMesh().addPrimitive(primitive))
    .setScale([scale, scale, scale])
  document.getRoot().setDefaultScene(document.createScene().addChild(node))
  return new WebIO().writeBinary(document)
}

const RELATIONS =
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'

/** A package of 3MF with the text of its model, and further parts. */
export const packageOf = (model: string | Uint8Array, others: Record<string, string> = {}): Uint8Array =>
  zipSync({
    '[Content_Types].xml': strToU8('<?xml version="1.0"?><Types/>'),
    '_rels/.rels': strToU8(RELATIONS),
    ...Object.fromEntries(Object.entries(others).map(([name, text]) => [name, strToU8(text)])),
    '3D/3dmodel.model': typeof model === 'string' ? strToU8(model) : model,
  })

export const model3mf = (resources: string, build: string, unit = 'millimeter') =>
  `<?xml version="1.0"?><model unit="${unit}" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>${resources}</resources><build>${build}</build></model>`

export function object3mf(id: number, { points, triangles }: SampleMesh): string {
  const vertices = points.map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`)
  const faces = triangles.map(([a, b, c]) => `<triangle v1="${a}" v2="${b}" v3="${c}"/>`)
  return `<object id="${id}" type="model"><mesh><vertices>${vertices.join('')}</vertices><triangles>${faces.join('')}</triangles></mesh></object>`
}

/** An IGES file of one flat patch for each side of a cube, in the unit of the flag. */
export function igesCube(side: number, unitFlag = 2, unitName = 'MM'): Uint8Array {
  const { points } = boxMesh([0, 0, 0], [side, side, side])
  const patches = [
    [0, 2, 1, 3],
    [4, 5, 6, 7],
    [0, 1, 4, 5],
    [2, 6, 3, 7],
    [0, 4, 2, 6],
    [1, 3, 5, 7],
  ].map((corners) => corners.map((corner) => (points[corner] ?? []).map((value) => value.toFixed(4)).join()))
  const line = (text: string, section: string, number: number) =>
    `${text.padEnd(72)}${section}${String(number).padStart(7)}`
  const global = `1H,,1H;,6Hsample,6Hsample,6Hsample,6Hsample,32,38,6,308,15,6Hsample,1.,${unitFlag},${unitName.length}H${unitName},1,0.01,15H20260101.000000,1.E-6,1000.,6Hsample,6Hsample,11,0,15H20260101.000000;`
  const globals = (global.match(/.{1,72}/g) ?? []).map((text, at) => line(text, 'G', at + 1))
  const directory: string[] = []
  const parameters: string[] = []
  for (const corners of patches) {
    const entity = `128,1,1,1,1,0,0,1,0,0,0.,0.,1.,1.,0.,0.,1.,1.,1.,1.,1.,1.,${corners.join()},0.,1.,0.,1.;`
    const lines = entity.match(/.{1,64}/g) ?? []
    const [first, at] = [parameters.length + 1, directory.length + 1]
    const fields = (values: (number | string)[]) => values.map((value) => String(value).padStart(8)).join('')
    directory.push(line(fields([128, first, 0, 0, 0, 0, 0, 0, '00000000']), 'D', at))
    directory.push(line(fields([128, 0, 0, lines.length, 0, '', '', '', 0]), 'D', at + 1))
    for (const text of lines) {
      parameters.push(line(`${text.padEnd(64)}${String(at).padStart(8)}`, 'P', parameters.length + 1))
    }
  }
  const counts = `S      1G${String(globals.length).padStart(7)}D${String(directory.length).padStart(7)}P${String(parameters.length).padStart(7)}`
  const all = [line('sample', 'S', 1), ...globals, ...directory, ...parameters, line(counts, 'T', 1)]
  return new TextEncoder().encode(`${all.join('\n')}\n`)
}
