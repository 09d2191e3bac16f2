// The file `keys`: the data keys of a log, wrapped by the configured key.
import { readFile, replaceFile, type Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import { newDataKey, SecretsVault, unwrapKey, wrapKey } from '../secrets.js'
import { decodeChecked, encodeChecked } from './checked-json.js'

export const KEYS_FILE = 'keys'

/**
 * The vault of a log. With a configured key, and no data key yet, one is made and written down.
 * @throws LogUnusable when the key is missing, is another one, or the file is damaged
 */
export async function openVault(
  disk: Disk,
  key: Buffer | undefined,
  { readOnly }: { readonly readOnly: boolean }
): Promise<SecretsVault> {
  const bytes = await readFile(disk, KEYS_FILE)
  if (bytes) return new SecretsVault(unwrapAll(disk, bytes, key))
  if (key === undefined) return new SecretsVault()
  const { number, dataKey } = newDataKey()
  const wrapped = wrapKey(key, number, dataKey)
  if (readOnly) return new SecretsVault()
  await writeKeys(disk, new Map([[number, wrapped]]))
  return new SecretsVault(new Map([[number, dataKey]]))
}

const writeKeys = (disk: Disk, wrapped: ReadonlyMap<number, Buffer>): Promise<void> =>
  replaceFile(
    disk,
    KEYS_FILE,
    encodeChecked({
      Keys: [...wrapped].map(([Number, Wrapped]) => ({ Number, Wrapped: Wrapped.toString('base64') }))
    })
  )

function unwrapAll(disk: Disk, bytes: Buffer, key: Buffer | undefined): ReadonlyMap<number, Buffer> {
  const list = decodeChecked(bytes)?.['Keys']
  if (!Array.isArray(list))
    throw new LogUnusable(
      `${disk.path}/${KEYS_FILE} is damaged: put the file back from a backup; without it the secrets of the log cannot be read`
    )
  if (key === undefined)
    throw new LogUnusable('the secrets in this log are encrypted; configure the key it was written with')
  const wrapped: readonly { readonly Number: number; readonly Wrapped: string }[] = list
  return new Map(
    wrapped.map(({ Number, Wrapped }) => [Number, unwrapKey(key, Buffer.from(Wrapped, 'base64'))])
  )
}
