import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { writeBillOfMaterials } from './bill-of-materials.ts'
import { type Bases, buildImage, verifyImage } from './commands.ts'
import { release } from './release.ts'

const program = commandLine('./scripts/image', 'Builds the image of the marketplace with buildah, podman or docker.')

const withBases = (name: string, description: string) =>
  program
    .command(name)
    .description(description)
    .option('--bun-image <image>', 'image of the build stage; default: that of the Dockerfile')
    .option('--base-image <image>', 'base with glibc; default: only the libraries that Bun links')
    .option(
      '--local',
      'makes the build stage of the Bun and the libraries of this machine: no registry of images is used',
    )

withBases('build', 'builds the image, named marketplace and tagged with the version').action(buildImage)
withBases('verify', 'builds the image twice and compares the digests').action(verifyImage)
withBases('release', 'builds, writes the bill of materials, tags, pushes and signs')
  .argument('<repository>', 'repository to push to, such as registry.example.com/marketplace')
  .option('--key <key>', 'key of cosign; default: signing without a key')
  .action(release)

withBases('sbom', 'writes the software bill of materials of the image, CycloneDX as JSON')
  .argument('<file>', 'the file')
  .action(async (file: string, bases: Bases) => void (await writeBillOfMaterials(file, bases)))

await runCommandLine(program)
