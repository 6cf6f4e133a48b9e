import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Geometry, type Rendering, type RenderOptions, render } from '../../sourcing/previews/rendering/render.ts'

type Options = Partial<RenderOptions> & { name?: string }

/** What a process of its own makes of a file, which is in a folder of its own. */
export async function rendered(
  content: Uint8Array | string,
  { name = 'file', ...options }: Options = {},
): Promise<Rendering> {
  const folder = await mkdtemp(join(tmpdir(), 'rendered-'))
  try {
    const path = join(folder, name)
    await Bun.write(path, content)
    return await render(path, { signal: new AbortController().signal, maxMemoryBytes: 3 * 1024 ** 3, ...options })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The previews and the geometry of a file that must be READY. */
export async function ready(content: Uint8Array | string, options: Options = {}) {
  const rendering = await rendered(content, options)
  if (rendering.state !== 'READY') throw new Error(`not READY: ${JSON.stringify(rendering)}`)
  return rendering
}

export async function measured(content: Uint8Array | string): Promise<Geometry> {
  const { geometry } = await ready(content)
  if (!geometry) throw new Error('no geometry')
  return geometry
}
