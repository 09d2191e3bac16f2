// Takes the place of `events/program-files.ts` in the threads of groups: the programs that a server in process starts run from the bundle, which
// loads in half the time of the build.
import { join } from 'node:path'
import { PACKAGE_FOLDER, PROGRAMS } from '../../events/program-files.js'

export { PACKAGE_FOLDER, PROGRAMS }

/** Returns the path of a program in the bundle. */
export const programFile = (name: keyof typeof PROGRAMS): string =>
  join(PACKAGE_FOLDER, 'program', PROGRAMS[name])
