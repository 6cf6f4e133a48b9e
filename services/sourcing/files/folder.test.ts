import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { describeConformance } from '../../testing/files/conformance/conformance.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const root = String(market.config.FILES_FOLDER)

await describeConformance(market, {
  driver: 'folder',
  variables: { FILES_FOLDER: root },
  // A file in place of the folder makes every request fail, as an unmounted disk does.
  async stop() {
    await mkdir(root, { recursive: true })
    await rename(root, `${root}.away`)
    await writeFile(root, '')
  },
  async start() {
    await rm(root)
    await rename(`${root}.away`, root)
  },
})
