/** The body of a success; throws for a refusal. */
export async function expectOk<T>(answer: Promise<{ status: number; text: string; body: T }>): Promise<T> {
  const { status, text, body } = await answer
  if (status >= 300) throw new Error(`The demo was refused: ${status} ${text}`)
  return body
}
