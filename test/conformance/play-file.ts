// Plays the cases of a file one after another, on servers that are started as its profiles say.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestResponse } from '../support/client.js'
import { projectRoot } from '../support/process.js'
import type { Case, CaseFile, Profile } from './case-file.js'
import { play, type PlayedServer } from './player.js'

const folder = join(projectRoot, 'test/conformance/cases')

/** A case with what the steps of it were answered. */
export interface PlayedCase {
  readonly played: Case
  readonly answers: readonly TestResponse[]
  readonly server: PlayedServer
}

/** All case files, by name. */
export const caseFiles = (): readonly CaseFile[] =>
  readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .toSorted()
    .map(name => {
      const file: CaseFile = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      return file
    })

/** Plays every case of the file. Cases share a server unless one asks for its own. */
export async function* playFile(
  file: CaseFile,
  start: (profile: Profile) => Promise<PlayedServer>
): AsyncGenerator<PlayedCase, void> {
  let server: PlayedServer | undefined
  for (const played of file.cases) {
    if (played.fresh === true) {
      await server?.close()
      server = undefined
    }
    server ??= await start({ ...file.profile, ...played.profile })
    yield { played, answers: await play(server, played.steps), server }
    if (played.fresh !== true) continue
    await server.close()
    server = undefined
  }
  await server?.close()
}
