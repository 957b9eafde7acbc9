// holdfast-memory: written by `holdfast install opencode`, removed by `holdfast uninstall opencode`.
// It hands what happens in a session to the hook of Holdfast, and what the hook prints to the model. Whatever goes wrong,
// the session goes on as if this file were not here. It throws nothing but the refusal of a call, where that is on.
import { spawn } from "node:child_process"

const COMMAND = "{COMMAND}"
// The tools around whose calls the hook is asked: none, some, or all of them ("*").
const CALLS = "{CALLS}"
const MILLISECONDS = 5000
const LONGEST = 4000

function hook(event, data) {
  return new Promise((resolve) => {
    try {
      const [program, ...words] = COMMAND.map((word) => (word === "EVENT" ? event : word))
      const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] })
      const pieces = []
      const timer = setTimeout(() => child.kill("SIGKILL"), MILLISECONDS)
      const done = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      child.on("error", () => done(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (piece) => pieces.push(piece))
      child.on("close", (code) => done(code === 0 ? Buffer.concat(pieces).toString("utf8").trim() : ""))
      child.stdin.end(JSON.stringify(data))
    } catch {
      resolve("")
    }
  })
}

export const HoldfastMemory = async ({ client, directory }) => {
  const started = new Set()
  const compacted = new Map()
  const children = new Map()
  const failed = new Set()
  const answers = new Map()
  const lines = new Map()
  const late = new Map()
  const assistant = new Set()

  const about = (session, more) => ({
    session_id: session,
    cwd: directory,
    ...(children.has(session) ? { agent_id: children.get(session) } : {}),
    ...more,
  })

  // What a session was given stays in its messages, so one that has some already is only continued.
  const source = async (session, message) => {
    try {
      const answer = await client.session.messages({ path: { id: session } })
      return (answer.data ?? []).some(({ info }) => info.id !== message) ? "resume" : "startup"
    } catch {
      return "startup"
    }
  }

  // A session starts with its first prompt, and once more after it was compacted.
  const start = async (session, message) => {
    if (compacted.has(session)) {
      const when = compacted.get(session)
      compacted.delete(session)
      return hook("session.created", about(session, { source: "compact", prompt_id: when }))
    }
    if (started.has(session)) return ""
    started.add(session)
    return hook("session.created", about(session, { source: await source(session, message), prompt_id: message }))
  }

  const add = (output, text, mark) => {
    const last = output.parts[output.parts.length - 1]
    if (!text || !last) return
    const { sessionID, messageID } = last
    output.parts.push({ id: last.id + mark, sessionID, messageID, type: "text", text, synthetic: true })
  }

  // A tool that broke down has an error; a command that ran and ended badly is completed, and has its exit.
  const failure = (state) => {
    if (state?.status === "error") return state.error
    return state?.status === "completed" && state.metadata?.exit > 0 ? String(state.output).slice(-LONGEST) : undefined
  }

  const tellFailure = async (session, tool, callID, input, error) => {
    failed.add(callID)
    const data = { tool_name: tool, tool_input: input, error, tool_use_id: callID }
    return hook("message.part.updated", about(session, data))
  }

  const partUpdated = async (part) => {
    if (part.type === "text" && part.text && assistant.has(part.messageID)) {
      answers.set(part.sessionID, part.text.slice(0, LONGEST))
    }
    const error = part.type === "tool" ? failure(part.state) : undefined
    if (error !== undefined && !failed.has(part.callID)) {
      // Its result is written already, so what the hook says comes with the next prompt.
      const text = await tellFailure(part.sessionID, part.tool, part.callID, part.state.input, error)
      if (text) late.set(part.sessionID, text)
    }
  }

  const happened = {
    "session.created": async ({ info }) => {
      if (info?.parentID) children.set(info.id, info.parentID)
    },
    "message.updated": async ({ info }) => {
      if (info?.role === "assistant") assistant.add(info.id)
    },
    "message.part.updated": async ({ part }) => partUpdated(part),
    "session.compacted": async ({ sessionID }) => {
      compacted.set(sessionID, String(Date.now()))
      await hook("session.compacted", about(sessionID, { prompt_id: compacted.get(sessionID) }))
    },
    "session.idle": async ({ sessionID }) => {
      const data = { last_assistant_message: answers.get(sessionID) ?? "", prompt_id: String(Date.now()) }
      await hook("session.idle", about(sessionID, data))
    },
    "session.deleted": async ({ info }) => {
      await hook("session.deleted", about(info.id, { prompt_id: info.id }))
    },
  }

  return {
    event: async ({ event }) => {
      try {
        await happened[event.type]?.(event.properties)
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const session = input.sessionID ?? output.message.sessionID
        const said = output.parts.filter((part) => part.type === "text" && !part.synthetic)
        const prompt = said.map((part) => part.text).join("\n")
        const first = await start(session, output.message.id)
        const data = { prompt, prompt_id: output.message.id }
        const second = await hook("chat.message", about(session, data))
        add(output, first, "h")
        add(output, second, "m")
        add(output, late.get(session), "l")
        late.delete(session)
      } catch {}
    },
    "tool.execute.before": async (input, output) => {
      if (CALLS !== "*" && !CALLS.split("|").some((name) => new RegExp(`^${name}$`).test(input.tool))) return
      let answer = {}
      try {
        const made = { tool_use_id: input.callID, made_at: new Date().toISOString() }
        const data = { tool_name: input.tool, tool_input: output.args, ...made }
        answer = JSON.parse((await hook("tool.execute", about(input.sessionID, data))) || "{}")
        if (answer.say) lines.set(input.callID, answer.say)
      } catch {}
      if (answer.refuse) throw new Error(answer.refuse)
    },
    "tool.execute.after": async (input, output) => {
      try {
        const { tool, sessionID, callID, args } = input
        const error = failure({ status: "completed", ...output })
        const fix = error === undefined ? "" : await tellFailure(sessionID, tool, callID, args, error)
        const more = [lines.get(callID), fix].filter(Boolean)
        lines.delete(callID)
        if (more.length) output.output = [output.output, ...more].join("\n")
      } catch {}
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      try {
        const data = { prompt_id: String(Date.now()) }
        const text = await hook("experimental.session.compacting", about(sessionID, data))
        if (text) output.context.push(text)
      } catch {}
    },
  }
}
