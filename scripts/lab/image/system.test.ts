import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemPackages, writeSystem } from './system.ts'

const folder = await mkdtemp(join(tmpdir(), 'system-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the system of the image describes the packages of its libraries, where scanners of images look', async () => {
  await writeSystem(folder)
  const packages = await systemPackages()
  expect(packages.length > 0).toBe(Bun.which('dpkg-query') !== null)
  for (const { name, version } of packages) {
    const status = await Bun.file(join(folder, 'var/lib/dpkg/status.d', name)).text()
    expect(status).toContain(`Package: ${name}\n`)
    expect(status).toContain(`Version: ${version}\n`)
    const copyright = `usr/share/doc/${name}/copyright`
    const shipped = Bun.file(join(folder, copyright))
    expect(await shipped.exists()).toBe(await Bun.file(`/${copyright}`).exists())
  }
  expect(await Bun.file(join(folder, 'etc/passwd')).text()).toContain('marketplace:x:65532:')
})
