import { create, type Font } from 'fontkit'

/** Noto Sans has Latin, Greek and Cyrillic. */
const FILES = {
  regular: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
}
export type FontName = keyof typeof FILES

export interface Fonts {
  files: Record<FontName, Uint8Array>
  /** Whether the fonts have a glyph for a character. */
  hasGlyph(codePoint: number): boolean
}

const bytesOf = (name: FontName) => Bun.file(Bun.fileURLToPath(import.meta.resolve(FILES[name]))).bytes()

async function load(): Promise<Fonts> {
  const [regular, bold] = await Promise.all([bytesOf('regular'), bytesOf('bold')])
  // A single file of TrueType, no collection.
  const font = create(Buffer.from(regular)) as Font
  return { files: { regular, bold }, hasGlyph: (codePoint) => font.hasGlyphForCodePoint(codePoint) }
}

let loaded: Promise<Fonts> | undefined

/** The fonts, which are read at the first use. */
export function loadFonts(): Promise<Fonts> {
  loaded ??= load()
  return loaded
}
