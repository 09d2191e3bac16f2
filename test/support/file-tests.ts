// The `test` of one file of a group. The files of a group share a thread and a registry of titles, so titles begin with the path of the file.
import ava, { type Implementation } from 'ava'

const file = new URL(import.meta.url).searchParams.get('file') ?? ''

type Declare = (title: string, implementation: Implementation<[]>) => void

const titled =
  (declare: Declare): Declare =>
  (title, implementation) =>
    declare(`${file} › ${title}`, implementation)

/** Hooks that would run for every test of the group are absent. */
export default Object.assign(titled(ava.serial), {
  serial: titled(ava.serial),
  skip: titled(ava.serial.skip),
  after: { always: ava.after.always }
})
