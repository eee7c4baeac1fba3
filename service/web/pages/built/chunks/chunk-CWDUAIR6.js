function s({statements:e,closings:t}){return[...e,...t].sort((a,r)=>Date.parse(a.at)-Date.parse(r.at))}export{s as a};
