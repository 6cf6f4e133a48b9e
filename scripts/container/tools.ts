/** Waits until SIGTERM, so that commands can be run in the container: `kubectl exec … -- marketplace operator …`. */
console.log('Waiting for commands.')
await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
process.exit(0)

export {}
