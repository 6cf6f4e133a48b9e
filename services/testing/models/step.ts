type Point = readonly [x: number, y: number, z: number]
type StepUnit = 'mm' | 'inch' | 'm'

const numbers = (values: readonly number[]) => values.map((value) => value.toFixed(9)).join()
const list = (ids: readonly number[]) => `(${ids.map((id) => `#${id}`).join()})`

const HEADER = [
  'ISO-10303-21;',
  'HEADER;',
  "FILE_DESCRIPTION((''),'2;1');",
  "FILE_NAME('sample','2026-01-01T00:00:00',(''),(''),'','','');",
  "FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));",
  'ENDSEC;',
  'DATA;',
]

/** Writes solids of boundary representation as a STEP file. */
export class StepWriter {
  private readonly lines: string[] = []
  private readonly context: number
  private readonly application: number

  constructor(unit: StepUnit = 'mm') {
    const length = this.lengthUnit(unit)
    const angle = this.add('( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) )')
    const solidAngle = this.add('( NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT() )')
    const uncertainty = this.add(`UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),#${length},'accuracy','')`)
    this.context = this.add(
      `( GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#${uncertainty})) GLOBAL_UNIT_ASSIGNED_CONTEXT(${list([length, angle, solidAngle])}) REPRESENTATION_CONTEXT('','') )`,
    )
    this.application = this.add("APPLICATION_CONTEXT('automotive design')")
    this.add(`APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#${this.application})`)
  }

  toString(): string {
    return [...HEADER, ...this.lines, 'ENDSEC;', 'END-ISO-10303-21;', ''].join('\n')
  }

  toBytes(): Uint8Array {
    return new TextEncoder().encode(this.toString())
  }

  /** A solid between two corners. */
  box([x0, y0, z0]: Point, [x1, y1, z1]: Point): number {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((at): Point => [at & 1 ? x1 : x0, at & 2 ? y1 : y0, at & 4 ? z1 : z0])
    const vertices = corners.map((corner) => this.vertex(corner))
    const edges = new Map<string, number>()
    const oriented = (from: number, to: number) => {
      const [a, b] = [Math.min(from, to), Math.max(from, to)]
      const key = `${a} ${b}`
      const edge =
        edges.get(key) ??
        this.lineEdge(vertices[a] as number, vertices[b] as number, corners[a] as Point, corners[b] as Point)
      edges.set(key, edge)
      return this.orientedEdge(edge, from < to)
    }
    // Corners of each face against the clock, seen from outside, and its normal.
    const faces: [corners: number[], normal: Point][] = [
      [
        [0, 2, 3, 1],
        [0, 0, -1],
      ],
      [
        [4, 5, 7, 6],
        [0, 0, 1],
      ],
      [
        [0, 1, 5, 4],
        [0, -1, 0],
      ],
      [
        [2, 6, 7, 3],
        [0, 1, 0],
      ],
      [
        [0, 4, 6, 2],
        [-1, 0, 0],
      ],
      [
        [1, 3, 7, 5],
        [1, 0, 0],
      ],
    ]
    return this.solid(
      faces.map(([around, normal]) => {
        const loop = around.map((corner, at) => oriented(corner, around[(at + 1) % 4] as number))
        const along: Point = normal[0] === 0 ? [1, 0, 0] : [0, 1, 0]
        return this.face(
          loop,
          this.add(`PLANE('',#${this.axes(corners[around[0] as number] as Point, normal, along)})`),
        )
      }),
    )
  }

  /** A cone that narrows upwards, cut at its top; a cylinder where both radii are one. */
  frustum([x, y, z]: Point, radius: number, topRadius: number, height: number): number {
    const up: Point = [0, 0, 1]
    const along: Point = [1, 0, 0]
    const circle = (level: number, size: number) => {
      const vertex = this.vertex([x + size, y, level])
      const curve = this.add(`CIRCLE('',#${this.axes([x, y, level], up, along)},${numbers([size])})`)
      return { vertex, edge: this.add(`EDGE_CURVE('',#${vertex},#${vertex},#${curve},.T.)`) }
    }
    const bottom = circle(z, radius)
    const top = circle(z + height, topRadius)
    const seam = this.lineEdge(bottom.vertex, top.vertex, [x + radius, y, z], [x + topRadius, y, z + height])
    const side =
      radius === topRadius
        ? this.add(`CYLINDRICAL_SURFACE('',#${this.axes([x, y, z], up, along)},${numbers([radius])})`)
        : this.cone([x, y, z + height], topRadius, Math.atan2(radius - topRadius, height))
    return this.solid([
      this.face(
        [this.orientedEdge(bottom.edge, false)],
        this.add(`PLANE('',#${this.axes([x, y, z], [0, 0, -1], along)})`),
      ),
      this.face(
        [this.orientedEdge(top.edge, true)],
        this.add(`PLANE('',#${this.axes([x, y, z + height], up, along)})`),
      ),
      this.face(
        [
          this.orientedEdge(bottom.edge, true),
          this.orientedEdge(seam, true),
          this.orientedEdge(top.edge, false),
          this.orientedEdge(seam, false),
        ],
        side,
      ),
    ])
  }

  /** A product of solids, or of none where it is an assembly. */
  product(solids: readonly number[]): { definition: number; representation: number; origin: number } {
    const origin = this.axes([0, 0, 0], [0, 0, 1], [1, 0, 0])
    const kind = solids.length > 0 ? 'ADVANCED_BREP_SHAPE_REPRESENTATION' : 'SHAPE_REPRESENTATION'
    const representation = this.add(`${kind}('',${list([...solids, origin])},#${this.context})`)
    const context = this.add(`PRODUCT_CONTEXT('',#${this.application},'mechanical')`)
    const product = this.add(`PRODUCT('p${this.lines.length}','part','',(#${context}))`)
    const formation = this.add(`PRODUCT_DEFINITION_FORMATION('','',#${product})`)
    const design = this.add(`PRODUCT_DEFINITION_CONTEXT('part definition',#${this.application},'design')`)
    const definition = this.add(`PRODUCT_DEFINITION('design','',#${formation},#${design})`)
    const shape = this.add(`PRODUCT_DEFINITION_SHAPE('','',#${definition})`)
    this.add(`SHAPE_DEFINITION_REPRESENTATION(#${shape},#${representation})`)
    return { definition, representation, origin }
  }

  /** Puts a product into an assembly at a point. */
  place(
    assembly: ReturnType<StepWriter['product']>,
    component: ReturnType<StepWriter['product']>,
    at: Point,
    name: string,
  ): void {
    const target = this.axes(at, [0, 0, 1], [1, 0, 0])
    const transformation = this.add(`ITEM_DEFINED_TRANSFORMATION('','',#${component.origin},#${target})`)
    const relation = this.add(
      `( REPRESENTATION_RELATIONSHIP('','',#${component.representation},#${assembly.representation}) REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#${transformation}) SHAPE_REPRESENTATION_RELATIONSHIP() )`,
    )
    const usage = this.add(
      `NEXT_ASSEMBLY_USAGE_OCCURRENCE('${name}','${name}','',#${assembly.definition},#${component.definition},$)`,
    )
    const shape = this.add(`PRODUCT_DEFINITION_SHAPE('','',#${usage})`)
    this.add(`CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#${relation},#${shape})`)
  }

  private add(statement: string): number {
    this.lines.push(`#${this.lines.length + 1}=${statement};`)
    return this.lines.length
  }

  private lengthUnit(unit: StepUnit): number {
    if (unit === 'm') return this.add('( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.) )')
    const millimetre = this.add('( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )')
    if (unit === 'mm') return millimetre
    const dimensions = this.add('DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)')
    const measure = this.add(`LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#${millimetre})`)
    return this.add(`( CONVERSION_BASED_UNIT('INCH',#${measure}) LENGTH_UNIT() NAMED_UNIT(#${dimensions}) )`)
  }

  private point(point: Point) {
    return this.add(`CARTESIAN_POINT('',(${numbers(point)}))`)
  }

  private direction(direction: Point) {
    return this.add(`DIRECTION('',(${numbers(direction)}))`)
  }

  private axes(at: Point, axis: Point, along: Point) {
    return this.add(`AXIS2_PLACEMENT_3D('',#${this.point(at)},#${this.direction(axis)},#${this.direction(along)})`)
  }

  private vertex(point: Point) {
    return this.add(`VERTEX_POINT('',#${this.point(point)})`)
  }

  private lineEdge(from: number, to: number, start: Point, end: Point) {
    const length = Math.hypot(end[0] - start[0], end[1] - start[1], end[2] - start[2])
    const along = this.direction([
      (end[0] - start[0]) / length,
      (end[1] - start[1]) / length,
      (end[2] - start[2]) / length,
    ])
    const vector = this.add(`VECTOR('',#${along},1.)`)
    const line = this.add(`LINE('',#${this.point(start)},#${vector})`)
    return this.add(`EDGE_CURVE('',#${from},#${to},#${line},.T.)`)
  }

  private orientedEdge(edge: number, forwards: boolean) {
    return this.add(`ORIENTED_EDGE('',*,*,#${edge},${forwards ? '.T.' : '.F.'})`)
  }

  /** The radius grows along the axis, here downwards. */
  private cone(top: Point, radius: number, angle: number) {
    return this.add(`CONICAL_SURFACE('',#${this.axes(top, [0, 0, -1], [1, 0, 0])},${numbers([radius, angle])})`)
  }

  private face(loop: readonly number[], surface: number) {
    const bound = this.add(`FACE_BOUND('',#${this.add(`EDGE_LOOP('',${list(loop)})`)},.T.)`)
    return this.add(`ADVANCED_FACE('',(#${bound}),#${surface},.T.)`)
  }

  private solid(faces: readonly number[]) {
    return this.add(`MANIFOLD_SOLID_BREP('',#${this.add(`CLOSED_SHELL('',${list(faces)})`)})`)
  }
}

/** A cube at the origin. */
export function stepCube(side: number, unit: StepUnit = 'mm'): Uint8Array {
  const step = new StepWriter(unit)
  step.product([step.box([0, 0, 0], [side, side, side])])
  return step.toBytes()
}

/** Cylinders of radius 5 and height 10 in rows, about 2,400 bytes each. */
export function stepCylinders(count: number, pitch = 12): Uint8Array {
  const step = new StepWriter()
  const columns = Math.ceil(Math.sqrt(count))
  const solids = Array.from({ length: count }, (_, at) =>
    step.frustum([(at % columns) * pitch, Math.floor(at / columns) * pitch, 0], 5, 5, 10),
  )
  step.product(solids)
  return step.toBytes()
}
