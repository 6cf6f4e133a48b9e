/** The subscriptions that an event type matches: itself, and the wildcard of each shorter prefix. */
export function subscriptionsOf(type: string): string[] {
  const words = type.split('.')
  return [type, ...words.slice(1).map((_, index) => `${words.slice(0, index + 1).join('.')}.*`)]
}
