import { SERVICES } from '../../../proto/services.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { until } from '../../../services/testing/until.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { type Lifecycle, runCommand } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { freePort } from '../../toolchain/ports.ts'
import { run } from '../../toolchain/run.ts'
import { type Backends, startIngress } from './ingress.ts'

const USAGE = `Usage: bun scripts/lab/play/play-cluster.ts <namespace> <name> <port> <file>

Plays the demo against an installation in the cluster of kubectl: forwards a port to each of its Services, whose names begin
with <name>, and routes to them at http://localhost:<port>, its publicUrl. <file> has the output of \`operator bootstrap\`.
`

const EMAIL = 'ada.berg@example.com'

async function play({ onStop, progress }: Lifecycle): Promise<number> {
  const [namespace, name, port, file] = process.argv.slice(2)
  if (!namespace || !name || !port || !file) throw new CommandError(USAGE)
  const backends = await Promise.all(
    SERVICES.map(async (service) => {
      const local = freePort()
      const target = ['-n', namespace, `service/${name}-${service}`, `${local}:80`]
      const forward = Bun.spawn(['kubectl', 'port-forward', ...target], { stdio: ['ignore', 'ignore', 'inherit'] })
      onStop(async () => {
        forward.kill()
        await forward.exited
      })
      const url = `http://127.0.0.1:${local}`
      await until(async () => (await fetch(`${url}/livez`).catch(() => undefined))?.ok, { what: `port of ${service}` })
      return [service, [url]] as const
    }),
  )
  const ingress = startIngress(Object.fromEntries(backends) as unknown as Backends, Number(port))
  onStop(ingress.stop)
  const [, token = ''] = /\/activate#(\S+)/.exec(await Bun.file(file).text()) ?? []
  const password = crypto.randomUUID()
  await new ApiClient(ingress.url).activate(token, password)
  const command = [BUN, commandFile('demo'), '--url', `http://localhost:${port}`, '--operator', EMAIL]
  const { code, output } = await run(command, { env: { ...process.env, PASSWORD: password } })
  progress(output.trimEnd())
  return code
}

await runCommand(play)
