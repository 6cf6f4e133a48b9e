import {
  AmbientLight,
  Box3,
  BufferAttribute,
  BufferGeometry,
  DirectionalLight,
  DoubleSide,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  Plane,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'
// The decoder in JavaScript: that in WebAssembly would need a wider policy for scripts.
import { MeshoptDecoder } from '../../../../../node_modules/meshoptimizer/meshopt_decoder_reference.js'
import { type Axis, Section } from './model-section.ts'

/** Edges of faces that meet at less than this angle are not drawn, in degrees. */
const EDGE_DEGREES = 25
/** Computing the edges of a larger model would block the page for seconds. */
const MAX_EDGE_TRIANGLES = 400_000
/** The view from which a model is first seen: from the front, the right and above. */
const FIRST_VIEW = new Vector3(1, 0.8, 1.2).normalize()
/** Half of the angle of the camera, in radians. */
const HALF_ANGLE = Math.PI / 9

/** The axes of a file in those of glTF, where y is up. */
const AXIS_IN_SCENE = { x: 'x', y: 'z', z: 'y' } as const satisfies Record<Axis, Axis>

/** A model in a canvas. It is drawn when something changes. */
export interface ModelScene {
  fit(): void
  /** Turns the camera around the model, in radians. */
  turn(right: number, up: number): void
  /** Moves the camera nearer (below 1) or further away. */
  zoom(factor: number): void
  showEdges(isShown: boolean): void
  /** Cuts the model along an axis, and fills what is cut; 1 shows it whole. */
  cut(axis: Axis, share: number): void
  resize(): void
  dispose(): void
}

interface Colors {
  model: string
  /** Of the faces of a cut. */
  cut: string
}

/** Loads a GLB and draws it. The axes are those of the file: glTF has y up, in metres. */
export async function showModel(canvas: HTMLCanvasElement, bytes: ArrayBuffer, colors: Colors): Promise<ModelScene> {
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder)
  const { scene: loaded } = await loader.parseAsync(bytes, '')
  const scene = new Scene()
  const plane = new Plane(new Vector3(-1, 0, 0), 0)
  const material = new MeshStandardMaterial({
    color: colors.model,
    metalness: 0.15,
    roughness: 0.65,
    flatShading: true,
    side: DoubleSide,
  })
  const model = new Group()
  let triangles = 0
  loaded.updateWorldMatrix(true, true)
  loaded.traverse((node) => {
    if (!(node instanceof Mesh)) return
    const geometry = plain(node)
    triangles += (geometry.index?.count ?? 0) / 3
    model.add(new Mesh(geometry, material))
  })
  const box = new Box3().setFromObject(model)
  const centre = box.getCenter(new Vector3())
  model.position.sub(centre)
  box.translate(centre.clone().negate())
  const radius = box.getSize(new Vector3()).length() / 2 || 1
  const section = new Section(model, plane, { color: colors.cut, size: radius * 4 })
  scene.add(model, section.group, new AmbientLight('#fff', 1.1))

  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, stencil: true })
  renderer.localClippingEnabled = true
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
  const camera = new PerspectiveCamera((HALF_ANGLE * 2 * 180) / Math.PI, 1, radius / 100, radius * 100)
  // The light comes over the shoulder of the person.
  const light = new DirectionalLight('#fff', 2.2)
  light.position.set(0.4, 0.8, 1)
  camera.add(light)
  scene.add(camera)
  const controls = new OrbitControls(camera, canvas)
  controls.enablePan = true
  const lines = new LineBasicMaterial({ color: '#222', transparent: true, opacity: 0.75 })
  let edges: Group | undefined
  let isWaiting = false
  const draw = () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      renderer.render(scene, camera)
    })
  }
  controls.addEventListener('change', draw)

  const fit = () => {
    const distance = (radius / Math.sin(HALF_ANGLE)) * Math.max(1, 1 / camera.aspect)
    camera.position.copy(FIRST_VIEW).multiplyScalar(distance)
    controls.target.set(0, 0, 0)
    controls.update()
    draw()
  }
  const resize = () => {
    const { clientWidth: width, clientHeight: height } = canvas
    if (width === 0 || height === 0) return
    renderer.setSize(width, height, false)
    camera.aspect = width / height
    camera.updateProjectionMatrix()
    draw()
  }
  const move = (change: (offset: Vector3) => void) => {
    const offset = camera.position.clone().sub(controls.target)
    change(offset)
    camera.position.copy(controls.target).add(offset)
    controls.update()
    draw()
  }
  resize()
  fit()
  return {
    fit,
    turn: (right, up) =>
      move((offset) => {
        offset.applyAxisAngle(new Vector3(0, 1, 0), -right)
        const side = new Vector3().crossVectors(camera.up, offset).normalize()
        const turned = offset.clone().applyAxisAngle(side, -up)
        // The camera does not turn over the poles.
        if (Math.abs(turned.clone().normalize().y) < 0.98) offset.copy(turned)
      }),
    zoom: (factor) => move((offset) => offset.multiplyScalar(factor)),
    showEdges(isShown) {
      if (isShown && !edges && triangles <= MAX_EDGE_TRIANGLES) {
        edges = edgesOf(model, lines)
        model.add(edges)
      }
      if (edges) edges.visible = isShown
      draw()
    },
    cut(ofFile, share) {
      const axis = AXIS_IN_SCENE[ofFile]
      plane.normal.set(axis === 'x' ? -1 : 0, axis === 'y' ? -1 : 0, axis === 'z' ? -1 : 0)
      plane.constant = box.min[axis] + (box.max[axis] - box.min[axis]) * share
      const planes = share >= 1 ? null : [plane]
      for (const clipped of [material, lines]) clipped.clippingPlanes = planes
      section.show(planes && axis)
      draw()
    },
    resize,
    dispose() {
      controls.dispose()
      model.traverse((node) => {
        if (node instanceof Mesh || node instanceof LineSegments) node.geometry.dispose()
      })
      section.dispose()
      material.dispose()
      lines.dispose()
      renderer.dispose()
    },
  }
}

/** The positions of a mesh in metres, because quantized ones are integers that a matrix scales. */
function plain({ geometry, matrixWorld }: Mesh): BufferGeometry {
  const position = geometry.getAttribute('position')
  const points = new Float32Array(position.count * 3)
  const point = new Vector3()
  for (let n = 0; n < position.count; n++)
    point
      .fromBufferAttribute(position, n)
      .applyMatrix4(matrixWorld)
      .toArray(points, n * 3)
  const copy = new BufferGeometry().setAttribute('position', new BufferAttribute(points, 3))
  copy.setIndex(geometry.index ?? [...points.keys()].slice(0, position.count))
  return copy
}

function edgesOf(model: Group, material: LineBasicMaterial): Group {
  const lines = new Group()
  for (const child of [...model.children]) {
    if (child instanceof Mesh) lines.add(new LineSegments(new EdgesGeometry(child.geometry, EDGE_DEGREES), material))
  }
  return lines
}
