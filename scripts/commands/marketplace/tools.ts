/** Waits until SIGTERM; meanwhile `kubectl exec … -- marketplace operator …` runs commands in the container. */
console.log('Waiting for commands.')
await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
process.exit(0)

export {}
