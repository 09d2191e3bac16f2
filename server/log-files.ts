import { rm, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogFiles, SignedFile } from '../actors/snapshot/log-files.js'
import { originOf } from '../events/log/evidence/signed-checkpoint.js'
import { noteSigner, vkeyOf } from '../events/log/evidence/note-keys.js'
import { signNote } from '../events/log/evidence/note.js'
import type { ProvableLog } from '../events/log/provable-log.js'
import { incomingLogFolder, type Settings } from './settings/settings.js'
import type { LogEvidence } from '../http/wire/log-evidence.js'
import type { LogFileStamp } from '../actors/erasure/erasure-checkpoint.js'
import { isMissingFile, orUndefined } from '../events/errors.js'

/** Segments, packs and their secrets. */
const NAME = /^(\d{16})-\d+\.(?:seg|pack|secrets)$/

/** Returns the log files of a folder by the first commit of each segment, ascending; none without a folder. */
export const logFileStampsIn = async (folder: string): Promise<readonly LogFileStamp[]> => {
  const stamps = new Map<number, string>()
  for (const name of (await namesIn(folder)).toSorted()) {
    const [, first] = NAME.exec(name) ?? []
    if (first === undefined) continue
    const index = Number(first)
    stamps.set(index, `${stamps.get(index) ?? ''}${name} ${await stampOf(join(folder, name))};`)
  }
  return [...stamps].map(([first, stamp]) => ({ first, stamp })).toSorted((a, b) => a.first - b.first)
}

const namesIn = async (folder: string): Promise<readonly string[]> =>
  (await orUndefined(readdir(folder), isMissingFile)) ?? []

/** Includes the inode change time, which programs cannot set. */
const stampOf = async (path: string): Promise<string> => {
  const found = await orUndefined(stat(path, { bigint: true }), isMissingFile)
  return found ? `${found.dev}.${found.ino}.${found.ctimeNs}.${found.size}` : 'gone'
}

interface FileLog extends ProvableLog {
  copyTo(folder: string): Promise<{ readonly index: number }>
  exchange(coming: string, time: string): Promise<void>
  takeOver(coming: string): Promise<void>
}

/** Not copied: each copy of the log has its own key. */
const SIGNING_KEY = 'signing-key'

export class ServerLogFiles implements LogFiles {
  readonly isExchangeable: boolean

  constructor(
    private readonly log: FileLog,
    private readonly evidence: LogEvidence,
    private readonly settings: Settings
  ) {
    this.isExchangeable = !settings.cluster.enabled
  }

  async copyTo(folder: string): Promise<{ readonly index: number }> {
    const copied = await this.log.copyTo(folder)
    await rm(join(folder, SIGNING_KEY), { force: true })
    return copied
  }

  async signing(): Promise<SignedFile> {
    const signer = noteSigner(originOf(this.log.identity), await this.evidence.seed(this.log))
    return { vkey: vkeyOf(signer.key), sign: text => signNote(text, signer) }
  }

  exchange(time: string): Promise<void> {
    return this.#withoutEvidence(() => this.log.exchange(incomingLogFolder(this.settings.data_dir), time))
  }

  takeOver(): Promise<void> {
    return this.#withoutEvidence(() => this.log.takeOver(incomingLogFolder(this.settings.data_dir)))
  }

  /** Stops the proofs during a swap, and starts them for the new log. */
  async #withoutEvidence(work: () => Promise<void>): Promise<void> {
    await this.evidence.close()
    try {
      await work()
    } finally {
      await this.evidence.open(this.log)
    }
  }
}
