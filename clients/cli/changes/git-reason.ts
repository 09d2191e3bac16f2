import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Characters of a reason. */
const LONGEST = 512
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu

/** Returns the git commit of a folder as the reason for its changes: `git 1a2b3c4d: Subject`; undefined outside a repository. */
export const gitReason = async (folder: string): Promise<string | undefined> => {
  try {
    const { stdout } = await run('git', ['-C', folder, 'log', '-1', '--format=%h: %s'])
    return `git ${stdout.trim()}`.replaceAll(UNPRINTABLE, ' ').slice(0, LONGEST)
  } catch {
    return undefined
  }
}
