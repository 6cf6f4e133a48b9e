import {
  AlwaysStencilFunc,
  BackSide,
  DecrementWrapStencilOp,
  DoubleSide,
  FrontSide,
  Group,
  IncrementWrapStencilOp,
  Mesh,
  MeshBasicMaterial,
  NotEqualStencilFunc,
  type Plane,
  PlaneGeometry,
  ReplaceStencilOp,
} from 'three'

export type Axis = 'x' | 'y' | 'z'

/** In drawing order: the faces behind the cut are counted, the cut is filled where one is open, the model follows. */
const ORDER = { count: 1, fill: 2, model: 3 }

/** Faces that are only counted: those that look away open the model behind the cut, the others close it. */
const counting = (side: typeof BackSide | typeof FrontSide, plane: Plane) => {
  const operation = side === BackSide ? IncrementWrapStencilOp : DecrementWrapStencilOp
  return new MeshBasicMaterial({
    side,
    clippingPlanes: [plane],
    colorWrite: false,
    depthWrite: false,
    depthTest: false,
    stencilWrite: true,
    stencilFunc: AlwaysStencilFunc,
    stencilFail: operation,
    stencilZFail: operation,
    stencilZPass: operation,
  })
}

/** The faces of a cut through a model, filled in one colour. */
export class Section {
  readonly group = new Group()
  readonly #plane: Plane
  readonly #fill: Mesh<PlaneGeometry, MeshBasicMaterial>
  readonly #counted: readonly MeshBasicMaterial[]

  constructor(model: Group, plane: Plane, { color, size }: { color: string; size: number }) {
    this.#plane = plane
    this.#counted = [counting(BackSide, plane), counting(FrontSide, plane)]
    for (const mesh of model.children) {
      if (!(mesh instanceof Mesh)) continue
      mesh.renderOrder = ORDER.model
      for (const material of this.#counted) {
        const faces = new Mesh(mesh.geometry, material)
        faces.position.copy(model.position)
        faces.renderOrder = ORDER.count
        this.group.add(faces)
      }
    }
    const material = new MeshBasicMaterial({
      color,
      side: DoubleSide,
      stencilWrite: true,
      stencilRef: 0,
      stencilFunc: NotEqualStencilFunc,
      stencilFail: ReplaceStencilOp,
      stencilZFail: ReplaceStencilOp,
      stencilZPass: ReplaceStencilOp,
    })
    this.#fill = new Mesh(new PlaneGeometry(size, size), material)
    this.#fill.renderOrder = ORDER.fill
    this.group.add(this.#fill)
    this.group.visible = false
  }

  /** Shows the cut at the plane, which is across an axis; null shows none. */
  show(axis: Axis | null): void {
    this.group.visible = axis !== null
    if (axis === null) return
    this.#fill.position.set(0, 0, 0)
    this.#fill.position[axis] = this.#plane.constant
    this.#fill.rotation.set(axis === 'y' ? Math.PI / 2 : 0, axis === 'x' ? Math.PI / 2 : 0, 0)
  }

  dispose(): void {
    this.#fill.geometry.dispose()
    for (const material of [...this.#counted, this.#fill.material]) material.dispose()
  }
}
