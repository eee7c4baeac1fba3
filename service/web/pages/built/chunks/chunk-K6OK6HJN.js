function n(e){let r=/\.(\d{1,6})/.exec(e)?.[1]??"";return Date.parse(e.replace(/\.\d+/,""))*1e3+Number(r.padEnd(6,"0"))}export{n as a};
