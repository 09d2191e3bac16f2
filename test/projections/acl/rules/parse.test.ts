// What rule texts mean, and which are refused.
import test from 'ava'
import { ruleName, type Rule, RuleError } from '../../../../projections/acl/rules/model.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'

const shown = (rule: Rule): string =>
  `${ruleName(rule)} ${rule.level}${rule.intentions === null ? '' : ` ${rule.intentions}`}`

/** Every rule of a text in short. */
const rulesOf = (text: string): readonly string[] => parseRules(text).rules.map(shown).toSorted()

const WEB = ['service "api" read', 'service "web" write read']

const accepted: readonly (readonly [text: string, rules: readonly string[]])[] = [
  ['', []],
  [' \n\t\r\n', []],
  ['# only a comment', []],
  ['// only a comment\n', []],
  ['/**/', []],
  ['{}', []],
  [' \n\t{ "acl" : "read" }\n', ['acl read']],
  ['# one\n// two\n/* three\nlines */ acl = "read" # four\n/**/', ['acl read']],
  ['acl="read"', ['acl read']],
  ['"acl" = "read"', ['acl read']],
  ['ACL = "read"', ['acl read']],
  ['acl\r\n=\r\n"read"\r\n', ['acl read']],
  ['acl = "re\\u0061d"', ['acl read']],
  ['acl = "\\x72\\145\\U00000061d"', ['acl read']],
  ['acl =', []],
  ['acl = ""', []],
  ['acl = "write" acl = "read"', ['acl read']],
  ['acl = "write" acl = ""', []],
  ['acl = "rad" acl = "read"', ['acl read']],
  [
    'acl = "read"\nfoo = "bar"\nbaz "x" { policy = "nonsense" }\nlist = ["a", 1, true,]\nnumber = 5',
    ['acl read']
  ],
  ['acl = "read"\nmesh = "write"\npeering = "read"\nidentity "x" { policy = "read" }', ['acl read']],
  ['numbers = [0x1F, -5, 1.5e3, 017, .5, -0.5]', []],
  ['nested = [["a"], {b = 1}, [true, false]]', []],
  ['code = <<EOF\nanything "goes" { here\n  EOF\nacl = "read"', ['acl read']],
  ['code = <<-THE_END\n  x\n  THE_END\nacl = "read"', ['acl read']],
  ['service "web" { policy = "write" intentions = "read" } service "api" { policy = "read" }', WEB],
  ['service "web" { policy = "write", intentions = "read", }, service "api" { policy = "read" },', WEB],
  ['service web { policy = "write" intentions = "read" }\nservice api { policy = "read" }', WEB],
  ['SERVICE "web" { Policy = "write" INTENTIONS = "read" } Service "api" { POLICY = "read" }', WEB],
  ['"service" "web" { "policy" = "write" "intentions" = "read" } service api { "policy" = "read" }', WEB],
  ['service = { "web" = { policy = "write" intentions = "read" } api { policy = "read" } }', WEB],
  ['service { "web" { policy = "write" intentions = "read" } api = { policy = "read" } }', WEB],
  ['service /* e */ "api" { policy = /* f */ "read" } service web{policy="write"intentions="read"}', WEB],
  ['{"service":{"web":{"policy":"write","intentions":"read"},"api":{"policy":"read"}}}', WEB],
  ['{"Service":{"web":{"Policy":"write","Intentions":"read"},"api":{"POLICY":"read"}}}', WEB],
  ['{"service":{"web":[{"policy":"write","intentions":"read"}],"api":[{"policy":"read"}]}}', WEB],
  ['{"service":[{"web":{"policy":"write","intentions":"read"}},{"api":{"policy":"read"}}]}', WEB],
  ['service "a" { policy = "read" intentions = "" }', ['service "a" read']],
  ['service "a" { policy = "rad" policy = "read" }', ['service "a" read']],
  ['service "a" { policy = "read" foo = "bar" sentinel { code = "x" } }', ['service "a" read']],
  ['key "a" { policy = "list" } key_prefix "" { policy = "LIST" }', ['key "a" list', 'key_prefix "" list']],
  ['key "${a "b" {}}" { policy = "read" }', ['key "${a \\"b\\" {}}" read']],
  ['key "\\xc3\\xa9" { policy = "read" }', ['key "é" read']],
  ['service {}', []],
  ['service = {}', []],
  ['service = []', []],
  ['service { policy = "read" }', ['service "policy" read']],
  ['{"service":{"policy":"read"}}', ['service "policy" read']],
  ['{"service":{}}', []],
  ['{"service":[]}', []],
  ['{"acl":null}', []],
  ['{"acl":"write","acl":"read"}', ['acl read']],
  ['{"acl":"read","foo":{"bar":[1,2,{"x":null}]}}', ['acl read']],
  ['{"key_prefix":{"":{"policy":"read"}}}', ['key_prefix "" read']],
  ['agent "A" { policy = "WRITE" }', ['agent "A" write']]
]

for (const [text, rules] of accepted)
  test(`accepted: ${JSON.stringify(text)}`, t => {
    t.deepEqual(rulesOf(text), rules)
  })

const refused: readonly (readonly [text: string, message: RegExp])[] = [
  ['acl = "rad"', /^Invalid acl policy: "rad"$/],
  ['acl = "list"', /^Invalid acl policy: "list"/],
  ['acl = " read"', /^Invalid acl policy: " read"/],
  ['keyring = "x"', /^Invalid keyring policy: "x"/],
  ['operator = 5', /^Invalid operator policy: "5"/],
  ['acl = true', /^Invalid acl policy: acl must be a string, not a boolean/],
  ['acl = 1.5', /^Invalid acl policy: acl must be a string, not a number/],
  ['acl = ["read"]', /^Invalid acl policy/],
  ['acl = {}', /^Invalid acl policy: acl must be a string, not an object/],
  ['acl { policy = "read" }', /^Invalid acl policy/],
  ['acl "x" { policy = "read" }', /^Invalid acl policy: acl takes no label/],
  ['acl = <<EOF\nread\nEOF\n', /^Invalid acl policy: "read\\n"/],
  ['{"acl":"nope"}', /^Invalid acl policy/],
  ['{"acl":{}}', /^Invalid acl policy/],
  ['{"acl":["read"]}', /^Invalid acl policy/],
  [
    'agent_prefix "a" { policy = "list" }',
    /^Invalid agent_prefix policy: "list" of agent_prefix "a" .*deny, read, write$/
  ],
  ['key "a" { policy = "lists" }', /^Invalid key policy: "lists" .*deny, read, list, write$/],
  ['service "a" {}', /^Invalid service policy: service "a" has no policy/],
  ['service "a" { policy = "" }', /^Invalid service policy: "" of service "a"/],
  ['service "a" { intentions = "read" }', /^Invalid service policy/],
  [
    'service "a" { policy = "read" intentions = "list" }',
    /^Invalid service intentions policy: "list" of service "a"/
  ],
  ['service_prefix "a" { policy = "read" intentions = 5 }', /^Invalid service_prefix intentions policy/],
  ['service "a" "b" { policy = "read" }', /^Invalid service policy: "a" is followed by a second label/],
  ['service "a" { b { policy = "read" } }', /^Invalid service policy/],
  ['service = "read"', /^Invalid service policy: an object is needed, not a string/],
  ['service = 5', /^Invalid service policy/],
  ['service = [{ a = { policy = "read" } }]', /^Invalid service policy/],
  ['service { a = "read" }', /^Invalid service policy/],
  ['service { a = [{ policy = "read" }] }', /^Invalid service policy/],
  ['service "a" { policy = "read" } service "a" { policy = "x" }', /^Invalid service policy/],
  ['{"service":null}', /^Invalid service policy: an object is needed, not null/],
  ['{"service":{"a":null}}', /^Invalid service policy/],
  ['{"service":{"a":{}}}', /^Invalid service policy/],
  ['{"service":{"a":[]}}', /^Invalid service policy/],
  ['{"service":{"a":"read"}}', /^Invalid service policy/],
  ['{"service":{"a":{"policy":null}}}', /^Invalid service policy/],
  ['{"service":["a"]}', /^Invalid service policy/],
  ['key "a" { policy = read }', /^Failed to parse ACL rules: At 1:20: expected .* but found "r"$/],
  ['5', /^Failed to parse ACL rules: At 1:1/],
  ['acl', /^Failed to parse ACL rules: At 1:4: a name must be followed by "=" or "{"$/],
  ['acl "read"', /^Failed to parse/],
  ['acl = read', /^Failed to parse/],
  ['acl: "read"', /^Failed to parse/],
  ['acl = "read";', /^Failed to parse/],
  ["acl = 'read'", /^Failed to parse/],
  ['acl = "read', /^Failed to parse ACL rules: At 1:12: string not terminated$/],
  ['acl = "re\nad"', /^Failed to parse ACL rules: At 1:10: string not terminated$/],
  ['acl = "re\\qd"', /illegal escape/],
  ['acl = "${"', /string not terminated/],
  ['acl = "\\400"', /illegal escape/],
  ['acl = "\\uD83"', /illegal escape/],
  ['acl = 089', /illegal octal number/],
  ['true = "read"', /^Failed to parse/],
  ['a = ["b" "c"]', /^Failed to parse/],
  ['a = [', /^Failed to parse/],
  ['service "a" = { policy = "read" }', /"=" must follow a single name/],
  ['service "a" {', /^Failed to parse ACL rules: At 1:14: expected .*"}".* but found end of text$/],
  ['service "a" { policy = }', /^Failed to parse/],
  ['acl = "read" }', /^Failed to parse/],
  ['acl = "read",,', /^Failed to parse/],
  ['[]', /^Failed to parse/],
  ['/ x', /expected "\/\/" or "\/\*" for a comment/],
  ['/* open', /comment not terminated/],
  ['a = <<EOF\nread\n', /At 3:1: heredoc not terminated/],
  ['a = <<EOF\nread\nEOF', /heredoc not terminated/],
  ['\ufeffacl = "read"', /^Failed to parse ACL rules: At 1:1/],
  ['acl = "read"\n# \0', /^Failed to parse ACL rules: At 2:3: unexpected null character/],
  ['{acl:"read"}', /^Failed to parse/],
  ["{'acl':'read'}", /^Failed to parse/],
  ['{"acl":"read",}', /^Failed to parse/],
  ['{"acl":"read"} x', /text after the end of the object/],
  ['{"acl":"read" // comment\n}', /^Failed to parse/],
  ['{"acl" "read"}', /^Failed to parse/],
  ['{"acl":"re\nad"}', /^Failed to parse/],
  ['{"acl":01}', /^Failed to parse/]
]

for (const [text, message] of refused)
  test(`refused: ${JSON.stringify(text)}`, t => {
    t.throws(() => parseRules(text), { instanceOf: RuleError, message })
  })

test('a labelled rule given twice stays twice, for the merge to decide', t => {
  t.deepEqual(rulesOf('node "x" { policy = "read" } node "x" { policy = "write" }'), [
    'node "x" read',
    'node "x" write'
  ])
  t.deepEqual(rulesOf('{"node":{"x":{"policy":"read"},"x":{"policy":"deny"}}}'), [
    'node "x" deny',
    'node "x" read'
  ])
})

test('a rule knows where it stands', t => {
  const { rules } = parseRules('# a comment\nacl = "read"\n\n  service "web" {\n    policy = "write"\n  }\n')
  t.deepEqual(
    rules.map(({ resource, line, column }) => [resource, line, column]),
    [
      ['service', 4, 11],
      ['acl', 2, 1]
    ]
  )
})

test('a refusal points at its cause', t => {
  const error = t.throws(() => parseRules('acl = "read"\nnode "x" {\n  policy = "rad"\n}'), {
    instanceOf: RuleError
  })
  t.deepEqual([error.line, error.column, error.syntax], [3, 12, null])
  const syntax = t.throws(() => parseRules('acl = "read"\n}'), { instanceOf: RuleError })
  t.deepEqual([syntax.line, syntax.column], [2, 1])
  t.is(syntax.message, `Failed to parse ACL rules: ${syntax.syntax}`)
})

test('unknown words have no effect but a warning', t => {
  const { rules, warnings } = parseRules(
    'servce "web" { policy = "read" }\nkey "a" {\n  policy = "read"\n  polcy = "write"\n}'
  )
  t.is(rules.length, 1)
  t.deepEqual(warnings, [
    { message: 'unknown rule servce has no effect', line: 1, column: 1 },
    { message: 'unknown setting polcy of key "a" has no effect', line: 4, column: 3 }
  ])
})
