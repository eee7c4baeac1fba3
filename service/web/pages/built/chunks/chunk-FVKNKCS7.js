import{h as i}from"./chunk-JTFLSOKV.js";function n(e){return i("section",{"aria-labelledby":e.id,children:[i("h2",{id:e.id,children:e.title}),e.children]})}export{n as a};
