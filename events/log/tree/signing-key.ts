// The file `signing-key`: the key that signs the checkpoints of a log, encrypted like its secrets.
import { randomBytes } from 'node:crypto'
import { readFile, replaceFile, type Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import type { SecretsVault } from '../secrets.js'
import { decodeChecked, encodeChecked } from '../segments/checked-files.js'

export const SIGNING_KEY_FILE = 'signing-key'
const SEED_BYTES = 32

export const newSigningKey = (): Buffer => randomBytes(SEED_BYTES)

/**
 * Reads the seed of the key, 32 bytes. With a vault that decrypts no secrets, it only checks the file.
 * @returns undefined without a file or decryption
 * @throws LogUnusable if the file is damaged or the encryption key is missing
 */
export async function readSigningKey(disk: Disk, vault: SecretsVault): Promise<Buffer | undefined> {
  const bytes = await readFile(disk, SIGNING_KEY_FILE)
  if (!bytes) return undefined
  const stored = storedIn(disk, bytes)
  return vault.opens ? opened(disk, vault, stored) : undefined
}

/** Returns the seed of the key, 32 bytes. Creates a missing key. @throws LogUnusable if the file is damaged or the encryption key is missing */
export async function openSigningKey(disk: Disk, vault: SecretsVault): Promise<Buffer> {
  const bytes = await readFile(disk, SIGNING_KEY_FILE)
  if (!bytes) {
    const seed = newSigningKey()
    await write(disk, vault, seed)
    return seed
  }
  const stored = storedIn(disk, bytes)
  const seed = opened(disk, vault, stored)
  if (vault.isBare(stored)) await write(disk, vault, seed)
  return seed
}

const write = (disk: Disk, vault: SecretsVault, seed: Buffer): Promise<void> =>
  replaceFile(disk, SIGNING_KEY_FILE, encodeChecked({ Key: vault.sealSigningKey(seed).toString('base64') }))

function storedIn(disk: Disk, bytes: Buffer): Buffer {
  const { Key } = decodeChecked(bytes) ?? {}
  const stored = typeof Key === 'string' ? Buffer.from(Key, 'base64') : Buffer.alloc(0)
  if (stored.length < SEED_BYTES) throw unusable(disk, 'it is damaged')
  return stored
}

function opened(disk: Disk, vault: SecretsVault, stored: Buffer): Buffer {
  try {
    return vault.openSigningKey(stored)
  } catch (cause) {
    throw unusable(disk, cause instanceof LogUnusable ? cause.message : 'it cannot be decrypted', { cause })
  }
}

const unusable = (disk: Disk, reason: string, options?: ErrorOptions): LogUnusable =>
  new LogUnusable(
    `${disk.path}/${SIGNING_KEY_FILE} cannot be used: ${reason}; put the file back from a backup, or remove it: then a new key signs from now on`,
    options
  )
