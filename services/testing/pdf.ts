/** The package replaces `navigator` where it has no language, and tests of other files read it. */
async function loadPackage() {
  const { navigator } = globalThis
  const loaded = await import('pdfjs-dist/legacy/build/pdf.mjs')
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true, writable: true })
  return loaded
}

/** The lines of each page of a PDF: texts at one height, from left to right, with a tab between columns. */
export async function pagesOf(pdf: Uint8Array): Promise<string[][]> {
  const { getDocument } = await loadPackage()
  const loading = getDocument({ data: new Uint8Array(pdf), verbosity: 0 })
  try {
    const document = await loading.promise
    const pages: string[][] = []
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent()
      const byHeight = new Map<number, string[]>()
      for (const item of items) {
        if (!('str' in item) || item.str.trim() === '') continue
        const height = Math.round(item.transform[5])
        byHeight.set(height, [...(byHeight.get(height) ?? []), item.str])
      }
      pages.push([...byHeight].sort(([one], [other]) => other - one).map(([, texts]) => texts.join('\t')))
    }
    return pages
  } finally {
    await loading.destroy()
  }
}
