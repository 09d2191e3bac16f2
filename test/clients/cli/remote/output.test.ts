import { PassThrough } from 'node:stream'
import test from 'ava'
import { stringify } from 'yaml'
import { lookOf } from '../../../../clients/cli/remote/look.js'
import { Output, table, type Form } from '../../../../clients/cli/remote/output.js'

const rows = [
  { Name: 'web', Status: 'passing', Time: '2026-11-28T12:00:00Z', Flags: 2n ** 63n, Tags: ['a', 'b'] },
  { Name: 'api', Status: 'critical', Time: '2026-11-28T12:00:00Z', Flags: 0n, Tags: [] }
]

interface Options {
  readonly form: Form
  readonly isTerminal?: boolean
  readonly env?: Readonly<Record<string, string>>
}

const outputTo = ({ form, isTerminal = false, env = {} }: Options) => {
  const out = Object.assign(new PassThrough(), { isTTY: isTerminal })
  const err = new PassThrough()
  const console = { env, in: new PassThrough(), out, err }
  const look = { ...lookOf(console, { absolute: false }, form), now: Date.parse('2026-11-28T12:05:00Z') }
  const texts = () => [String(out.read() ?? ''), String(err.read() ?? '')]
  return { output: new Output(console, form, look, stringify), texts }
}

const shown = (options: Options, value: readonly (typeof rows)[number][] = rows) => {
  const { output, texts } = outputTo(options)
  output.show(value, all => table(['Name', 'Status', 'Time'], all))
  return texts()
}

async function* each<Element>(elements: readonly Element[]): AsyncGenerator<Element> {
  yield* elements
}

test('a table has the declared columns, and a wide one all', t => {
  t.deepEqual(shown({ form: 'table' }), [
    'Name  Status    Time\nweb   passing   5m ago\napi   critical  5m ago\n',
    ''
  ])
  t.regex(
    shown({ form: 'wide' })[0] ?? '',
    /^Name +Status +Time +Flags +Tags\nweb .* 9223372036854775808  a, b\n/
  )
})

test('a wide table has no secrets', t => {
  const { output, texts } = outputTo({ form: 'wide' })
  output.show([{ Name: 'a', SecretID: 'secret', Token: 'secret', Hash: 'b' }], all => table(['Name'], all))
  t.is(texts()[0], 'Name  Hash\na     b\n')
})

test('an empty list is a note for people, and a list for programs', t => {
  t.deepEqual(shown({ form: 'table' }, []), ['', '0 results\n'])
  t.deepEqual(shown({ form: 'json' }, []), ['[]\n', ''])
})

test('programs get exact numbers in JSON, lines and YAML', t => {
  t.regex(shown({ form: 'json' })[0] ?? '', /^\[\n {2}\{\n[^]*"Flags": 9223372036854775808,/)
  const lines = (shown({ form: 'jsonl' })[0] ?? '').trimEnd().split('\n')
  t.is(lines.length, 2)
  t.true(lines[0]?.startsWith('{"Name":"web","Status":"passing"'))
  t.regex(
    shown({ form: 'yaml' })[0] ?? '',
    /^- Name: web\n {2}Status: passing\n[^]*Flags: 9223372036854775808\n/
  )
})

test('streamed elements have the same forms', async t => {
  const streamed = async (form: Form) => {
    const { output, texts } = outputTo({ form })
    await output.stream(each(rows), {
      async *asTexts(all) {
        for await (const { Name } of all) yield Name
      }
    })
    return texts()[0]
  }
  t.is(await streamed('table'), 'web\napi\n')
  for (const form of ['json', 'jsonl', 'yaml'] as const) t.is(await streamed(form), shown({ form })[0], form)
})

test('a terminal has colors, unless NO_COLOR is set', t => {
  const [colored = ''] = shown({ form: 'table', isTerminal: true })
  t.true(colored.includes('\u001b[1mName'))
  t.true(colored.includes('\u001b[32mpassing '))
  t.deepEqual(shown({ form: 'table', isTerminal: true, env: { NO_COLOR: '1' } }), shown({ form: 'table' }))
})

test('the times of a watched read are absolute outside a terminal, so that only changes are printed', t => {
  const lookAt = (isTTY: boolean) => {
    const out = Object.assign(new PassThrough(), { isTTY })
    const console = { env: {}, in: new PassThrough(), out, err: new PassThrough() }
    return lookOf(console, { absolute: false, watch: true }, 'table').isAbsolute
  }
  t.true(lookAt(false))
  t.false(lookAt(true))
})
