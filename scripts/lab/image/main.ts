import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { buildWithoutRegistry, IMAGE } from './build.ts'

await runCommandLine(
  commandLine(
    'bun scripts/lab/image/main.ts',
    'Builds the image with buildah where no registry of images answers.',
  ).action(async () => {
    await buildWithoutRegistry()
    console.log(`Built: ${IMAGE}`)
  }),
)
