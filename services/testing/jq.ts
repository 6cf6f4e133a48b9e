import { raw } from 'jq-wasm'

/**
 * The command line of jq, so that the tests of the guides need no installation: flags, a filter and files. Without a
 * file it reads standard input.
 */
const words = process.argv.slice(2)
const flags = words.filter((word) => word.startsWith('-'))
const [filter = '.', ...files] = words.filter((word) => !word.startsWith('-'))
const inputs = files.length > 0 ? files.map((file) => Bun.file(file).text()) : [Bun.stdin.text()]
const output = await raw((await Promise.all(inputs)).join('\n'), filter, flags)
if (output !== '') process.stdout.write(`${output}\n`)
