import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import postgres from 'postgres'
import { BadConfiguration } from '../config/read.ts'

/** The parameter of a URL that names the file. It never reaches the server. */
const PARAMETER = 'password_file'
const PROBE_TIMEOUT_SECONDS = 5
/** Postgres: invalid_password. */
const WRONG_PASSWORD = '28P01'

/** A URL of Postgres whose password is read from a file at each connect. Throws if the file does not exist. */
export function withPasswordFile(url: string, file: string | undefined, variable = 'DATABASE_PASSWORD_FILE'): string {
  if (file === undefined) return url
  if (!existsSync(file)) throw new BadConfiguration([`${variable} names ${file}, which does not exist.`])
  const withFile = new URL(url)
  withFile.searchParams.set(PARAMETER, file)
  return withFile.href
}

/** What the driver needs of a URL: an address that it knows, and a function for the password in a file. */
export function credentialsOf(url: string): { address: string; password?: () => Promise<string> } {
  const address = new URL(url)
  const file = address.searchParams.get(PARAMETER)
  if (file === null) return { address: url }
  address.searchParams.delete(PARAMETER)
  return { address: address.href, password: () => currentPassword(address.href, file) }
}

/**
 * The password in the file. While a password is rotated, the file has a line for each, and the first one that the
 * server accepts is used. The driver cannot catch an error here: without a file the server refuses the empty password.
 */
async function currentPassword(address: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const passwords = text.split(/\r?\n/).filter((line) => line !== '')
  for (const password of passwords.slice(0, -1)) {
    if (await isAccepted(address, password)) return password
  }
  return passwords.at(-1) ?? ''
}

/** Whether the server accepts the password. Other failures count as accepted, because they recur at the connect. */
async function isAccepted(address: string, password: string): Promise<boolean> {
  const probe = postgres(address, {
    password,
    max: 1,
    connect_timeout: PROBE_TIMEOUT_SECONDS,
    fetch_types: false,
    onnotice: () => {},
  })
  try {
    await probe`select 1`
    return true
  } catch (error) {
    return (error as { code?: string }).code !== WRONG_PASSWORD
  } finally {
    await probe.end({ timeout: 1 })
  }
}

/** The newest password in the text of a variable or a file, which is its first line. */
export const newestPassword = (text: string): string => text.split(/\r?\n/, 1)[0] as string
