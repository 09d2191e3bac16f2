// Editing texts in the editor of the user.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { type Console, Failed } from '../console.js'
import { ask } from '../terminal.js'
import { runChild, runUntilInterrupted } from './child.js'

interface Edited {
  /** Names the text in the diff, and ends with a file extension for the editor. */
  readonly name: string
  readonly text: string
  /** Returns why a text is invalid; undefined for a valid one. */
  readonly problemOf: (text: string) => string | undefined | Promise<string | undefined>
}

/** File systems limit names. */
const MOST_OF_NAME = 100

const editOnce = async (console: Console, name: string, text: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'annals-edit-'))
  const file = join(folder, name.replaceAll(/[^\w.-]+/g, '-').slice(-MOST_OF_NAME))
  const editor = console.env['VISUAL'] || console.env['EDITOR'] || 'vi'
  try {
    // The values of keys may be secrets.
    await writeFile(file, text, { mode: 0o600 })
    const code = await runUntilInterrupted(signal =>
      runChild({ command: [`${editor} '${file}'`], env: console.env, signal })
    )
    if (code !== 0) throw new Failed(`the editor "${editor}" ended with ${code}: nothing was written`)
    const edited = await readFile(file, 'utf8')
    // Editors end the last line.
    return text.endsWith('\n') ? edited : edited.replace(/\n$/, '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Opens $VISUAL, $EDITOR or vi, and prints the diff. On a terminal, an invalid text can be edited again.
 * @returns undefined if nothing was changed
 * @throws Failed for an invalid text, or if the editor fails
 */
export const edit = async (
  console: Console,
  { name, text, problemOf }: Edited
): Promise<string | undefined> => {
  for (let current = text; ;) {
    const edited = await editOnce(console, name, current)
    if (edited === text) {
      console.err.write('Nothing changed\n')
      return undefined
    }
    const problem = await problemOf(edited)
    if (problem === undefined) {
      console.err.write(createTwoFilesPatch(name, name, text, edited, 'stored', 'edited', { context: 3 }))
      return edited
    }
    if (console.in.isTTY !== true) throw new Failed(`nothing was written: ${problem}`)
    console.err.write(`${problem}\n`)
    if (!(await ask(console, 'Edit again?'))) throw new Failed('nothing was written')
    current = edited
  }
}
